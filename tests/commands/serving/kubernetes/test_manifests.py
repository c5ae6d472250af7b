"""The manifests: they hold together, kube-scheduler knows their fields, slotwise its options."""

import json
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
import yaml
from fake_api_server import FakeApi, node, pod

from slotwise.core.files.inputs import read_bytes

FILE = "example:kubernetes"

CONFIGURATION = {
    "apiVersion", "kind", "parallelism", "leaderElection", "clientConnection",
    "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds", "profiles",
    "extenders", "delayCacheUntilActive", "enableProfiling", "enableContentionProfiling",
}  # fmt: skip
PROFILE = {"schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"}
EXTENDER = {
    "urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "weight", "bindVerb", "enableHTTPS",
    "tlsConfig", "httpTimeout", "nodeCacheCapable", "managedResources", "ignorable",
}  # fmt: skip
TLS = {"insecure", "serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData"}
"""Fields of KubeSchedulerConfiguration, KubeSchedulerProfile, Extender and ExtenderTLSConfig
(k8s.io/kube-scheduler/config/v1/types.go)."""


@pytest.fixture(scope="module")
def objects():
    documents = list(yaml.safe_load_all(read_bytes(FILE)))
    return {(d["kind"], d["metadata"]["name"]): d for d in documents}


def deployment(objects, name):
    """The pod template of a deployment, and its one container."""
    spec = objects["Deployment", name]["spec"]
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
    (container,) = spec["template"]["spec"]["containers"]
    return spec["template"]["spec"], container


def test_what_is_named_is_there(objects):
    assert [kind for kind, _ in objects].count("Deployment") == 2
    for (kind, name), thing in objects.items():
        if kind.endswith("RoleBinding"):
            (subject,) = thing["subjects"]
            account = objects["ServiceAccount", subject["name"]]
            assert subject["namespace"] == account["metadata"]["namespace"]
            role = thing["roleRef"]
            own = (role["kind"], role["name"]) in objects
            assert own or role["name"].startswith(("system:", "extension-apiserver-"))
        if kind == "Deployment":
            spec, container = deployment(objects, name)
            assert ("ServiceAccount", spec["serviceAccountName"]) in objects
            mounted = {mount["name"] for mount in container["volumeMounts"]}
            assert mounted == {volume["name"] for volume in spec["volumes"]}
    service = objects["Service", "slotwise"]["spec"]
    _, container = deployment(objects, "slotwise")
    labels = objects["Deployment", "slotwise"]["spec"]["template"]["metadata"]["labels"]
    assert service["selector"].items() <= labels.items()
    (port,) = service["ports"]
    assert port["targetPort"] in {each["name"] for each in container["ports"]}


def test_slotwise_may_only_look(objects):
    (rule,) = objects["ClusterRole", "slotwise"]["rules"]
    assert rule == {"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["list", "watch"]}


def test_the_configuration_is_one_of_kube_scheduler_s_that_calls_slotwise(objects):
    spec, container = deployment(objects, "slotwise-scheduler")
    made = yaml.safe_load(objects["ConfigMap", "slotwise-scheduler"]["data"]["scheduler.yaml"])
    assert "--config=/config/scheduler.yaml" in container["command"]
    assert made["apiVersion"] == "kubescheduler.config.k8s.io/v1"
    assert made["kind"] == "KubeSchedulerConfiguration"
    assert made.keys() <= CONFIGURATION
    (profile,), (extender,) = made["profiles"], made["extenders"]
    assert profile.keys() <= PROFILE
    assert extender.keys() <= EXTENDER
    assert extender["tlsConfig"].keys() <= TLS
    assert extender["weight"] > 0
    port = objects["Service", "slotwise"]["spec"]["ports"][0]["port"]
    assert extender["urlPrefix"] == f"https://slotwise.slotwise.svc:{port}/kubernetes"
    assert (extender["filterVerb"], extender["prioritizeVerb"]) == ("filter", "prioritize")
    assert "bindVerb" not in extender
    folders = {mount["mountPath"] for mount in container["volumeMounts"]}
    for file in extender["tlsConfig"].values():
        assert file.rpartition("/")[0] in folders
    assert spec["serviceAccountName"] == "slotwise-scheduler"


def certificates(folder):
    """An authority, a certificate of it for 127.0.0.1 and one for who calls."""

    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca")
    for name, more in (("tls", ("-addext", "subjectAltName=IP:127.0.0.1")), ("caller", ())):
        files = ("-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={name}")
        openssl("req", "-x509", "-CA", "ca.crt", "-CAkey", "ca.key", *key, *files, *more)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_a_scheduler_with_its_certificate_is_answered_by_the_service_of_the_manifests(
    objects, tmp_path
):
    pytest.importorskip("kubernetes", reason="needs the extra `kubernetes`")
    pytest.importorskip("uvicorn", reason="needs the extra `serve`")
    certificates(tmp_path)
    api = FakeApi()
    label = {"slotwise.dev/configuration": "V100"}
    api.put("nodes", *(node(f"n{i}", 96, "512Gi", 8, labels=label) for i in range(2)))
    api.put("pods", pod("runs", 8, "n1", memory="16Gi"))
    _, container = deployment(objects, "slotwise")
    words = [word.replace("/tls/", f"{tmp_path}/") for word in container["args"]]
    words = [word.replace("/plan/guidance.json", "example:gpu-cluster-guidance") for word in words]
    words = [
        word.replace("8443", "0").replace("in-cluster", api.kubeconfig(tmp_path / "config"))
        for word in words
    ]
    line = [sys.executable, "-m", "slotwise", *words, "--json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = json.loads(process.stdout.readline())["url"].replace("0.0.0.0", "127.0.0.1")

            def ask(path, body=None, certified=True):
                context = ssl.create_default_context(cafile=tmp_path / "ca.crt")
                if certified:
                    context.load_cert_chain(tmp_path / "caller.crt", tmp_path / "caller.key")
                data = None if body is None else json.dumps(body).encode()
                with urllib.request.urlopen(url + path, data, 20, context=context) as answer:
                    return json.loads(answer.read())

            end = time.monotonic() + 30
            while not ask("/kubernetes")["ready"] and time.monotonic() < end:
                time.sleep(0.05)
            question = {"Pod": pod("p", 8, memory="16Gi"), "NodeNames": ["n0", "n1", "n2"]}
            scores = {e["Host"]: e["Score"] for e in ask("/kubernetes/prioritize", question)}
            assert sorted(scores.values()) == [0, 9, 10]
            assert ask("/kubernetes/filter", question)["NodeNames"] == ["n0", "n1", "n2"]
            with pytest.raises((OSError, urllib.error.URLError)):
                ask("/healthz", certified=False)
            with pytest.raises(urllib.error.HTTPError, match="409"):
                ask("/v1/jobs", {"id": "a", "class": "k1"})
        finally:
            process.terminate()
            api.close()
    assert process.returncode == 0

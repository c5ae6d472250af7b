"""Fair-share trees of YARN: readers and writers of its two schedulers' files."""

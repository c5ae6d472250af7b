"""What a study is: instances, methods, and the runs that they make together."""

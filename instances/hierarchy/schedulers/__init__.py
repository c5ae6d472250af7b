"""Fair-share trees of real schedulers: readers and writers of their files."""

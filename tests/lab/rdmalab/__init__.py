"""What scenarios are written with. Runs in the guest, as root, with Debian's own Python."""

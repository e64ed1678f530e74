"""The host's side of the lab: picks scenarios, boots guests, collects and reports their results."""

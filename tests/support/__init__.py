"""What the tests of the whole share: a gateway process, clients with verbs, a proxy that can be cut."""

"""What a session holds: its studies and its settings, mirrored in the address.

May import everything below the interface, and kit.
"""

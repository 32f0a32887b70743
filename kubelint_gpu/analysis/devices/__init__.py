"""Questions of rules about devices and resource claims."""

"""Binary splits of nominal columns inside trees."""

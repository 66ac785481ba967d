"""The dashboard's REST API: namespaces, activities, registration, contributors, menu."""

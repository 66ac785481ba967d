"""Pages that other installed packages add to the dashboard.

    plugin         `DashboardPlugin`, which such a package declares
    installed      find and check what is installed
    routes         /api/plugins, and the plug-ins' files below /plugins/

A package declares an entry point in the group `windlass.dashboard` that names a `DashboardPlugin`. Only pages are added
this way: they run in the browser with the rights of the person, in a frame, and nothing of the package runs in the
gateway but the module that declares them.
"""

from windlass.gateway.plugins.plugin import DashboardPlugin, MenuEntry

__all__ = ["DashboardPlugin", "MenuEntry"]

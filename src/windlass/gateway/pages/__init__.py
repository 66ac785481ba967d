"""The dashboard's files: pages, assets, and the library of apps in frames.

files              where the built files are, and which form of a file suits a request
routes             every address of a page
not_built          the page where there are no built files
"""

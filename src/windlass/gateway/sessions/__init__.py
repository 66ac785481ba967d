"""Who is signed in: sessions in the database, their cookies, and what keeps other sites from using them.

store                      sessions: made, found, touched, listed, revoked
cookies                    names and attributes
csrf origin redirects      pure rules: double submit, Origin and Sec-Fetch-Site, where `rd` may lead
"""

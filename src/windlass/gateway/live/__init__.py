"""/api/live: one WebSocket a page, over which it follows objects and computed views.

messages           what a page sends and is sent
entries            an object as a page gets it, or its metadata, as bytes; label and field selectors over them
printed            an object as the row that `kubectl get` prints of it
feeds              the objects of one kind and namespace, and their last changes, for all who follow them
hub                one feed, and one watch, for each kind, namespace and form that some page follows
rights             which feeds a user may follow
objects            the topic `objects`: a position in feeds, from which the next message is made
topics             the computed topics, each a subscription that publishes values
connection         one page: its subscriptions, and what is sent when
routes             the address

A reader that is slow holds nothing up and nothing back: a subscription is a position in a feed's bounded list of
changes, and what is sent is the difference between that position and now. Who has fallen behind that list gets a new
snapshot.
"""

"""The Istio kinds by which the gateway knows its routes and who may use them."""

"""Checks of claims: their contract, and a case for each."""

"""What the app is made of: settings in the address, caches, controls, boxes and charts. Only this package, the pages
and app.py import streamlit."""

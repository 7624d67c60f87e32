"""Streamlit's server, started for this app: `python -m fairviz.ui.server run app.py`.

Until a server has seen `st.navigation` once, Streamlit takes a folder named pages for its older layout, and meets a
first visitor who follows a deep link with a dialog that the page does not exist. It is told before anybody comes.
"""

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main

if __name__ == "__main__":
    PagesManager.uses_pages_directory = False
    main(prog_name="streamlit")

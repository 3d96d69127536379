"""The page in the browser: what needs Panel and Bokeh, and nothing else does."""

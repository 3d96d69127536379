"""A round on the screen: what there is to see, the picture, the text."""

"""Strategic classification: a published classifier, and individuals who answer it."""

"""Parts of the page of rarefact report."""

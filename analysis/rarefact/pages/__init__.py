"""What the page of rarefact report is made of."""

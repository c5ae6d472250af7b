"""`slotwise serve`: a dispatcher over HTTP that keeps what it has answered."""

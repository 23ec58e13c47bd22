// Begins with the first change to this room.

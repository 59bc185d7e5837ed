"""What is pressed, typed or chosen beside a picture."""

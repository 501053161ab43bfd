"""What pages show about players: their practice, their shots, and pictures to share."""

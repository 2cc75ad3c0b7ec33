"""What Qwen Code is told."""

"""The identity of this machine and of other writers: who may write, who is trusted."""

"""What in a project speaks for or against a finding: one file each."""

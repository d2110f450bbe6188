"""What tools/readme_results writes: tables of the results, the summary of README.md and the checklist of the paper."""

"""The paper's tables and figures as code: plan, predict, score, show."""

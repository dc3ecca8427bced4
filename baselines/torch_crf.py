"""A linear-chain conditional random field on top of scores for each token (Lample et al. 2016)."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class ChainCRF(nn.Module):  # type: ignore[misc] # without types
    """Scores of a label after another, of the first and of the last one."""

    def __init__(self, labels: int) -> None:
        super().__init__()
        self.after = nn.Parameter(torch.empty(labels, labels).uniform_(-0.1, 0.1))
        self.first = nn.Parameter(torch.empty(labels).uniform_(-0.1, 0.1))
        self.last = nn.Parameter(torch.empty(labels).uniform_(-0.1, 0.1))

    def loss(self, scores: Any, labels: Any, mask: Any) -> Any:
        """Mean negative log-likelihood of the sentences.

        Args:
            scores: [sentences, tokens, labels].
            labels: [sentences, tokens] their numbers.
            mask: [sentences, tokens] which are there; all of a sentence's come first.
        """
        scores = scores.float()
        return (self._all(scores, mask) - self._one(scores, labels, mask)).mean()

    def _one(self, scores: Any, labels: Any, mask: Any) -> Any:
        """[sentences] score of the labels that are given."""
        rows = torch.arange(len(labels), device=scores.device)
        total = self.first[labels[:, 0]] + scores[rows, 0, labels[:, 0]]
        for place in range(1, labels.shape[1]):
            step = self.after[labels[:, place - 1], labels[:, place]] + scores[rows, place, labels[:, place]]
            total = total + step * mask[:, place]
        ends = labels[rows, mask.sum(dim=1).long() - 1]
        return total + self.last[ends]

    def _all(self, scores: Any, mask: Any) -> Any:
        """[sentences] logarithm of the sum over all sequences of labels."""
        alpha = self.first + scores[:, 0]
        for place in range(1, scores.shape[1]):
            step = torch.logsumexp(alpha.unsqueeze(2) + self.after, dim=1) + scores[:, place]
            alpha = torch.where(mask[:, place].unsqueeze(1).bool(), step, alpha)
        return torch.logsumexp(alpha + self.last, dim=1)

    def best(self, scores: Any, mask: Any) -> list[list[int]]:
        """The most likely labels of each sentence."""
        scores = scores.float()
        alpha, backs = self.first + scores[:, 0], []
        for place in range(1, scores.shape[1]):
            step, back = (alpha.unsqueeze(2) + self.after).max(dim=1)
            there = mask[:, place].unsqueeze(1).bool()
            alpha = torch.where(there, step + scores[:, place], alpha)
            backs.append(torch.where(there, back, torch.arange(scores.shape[2], device=scores.device)))
        label = (alpha + self.last).argmax(dim=1)
        path = [label]
        for back in reversed(backs):
            label = back.gather(1, label.unsqueeze(1)).squeeze(1)
            path.append(label)
        found = torch.stack(path[::-1], dim=1).tolist()
        return [row[:length] for row, length in zip(found, mask.sum(dim=1).long().tolist(), strict=True)]

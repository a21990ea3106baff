"""What is the best selection for my money?

A search of your own is a class with one generator. This one buys features until the budget is
spent.

Measurements cost something: a blood test, a survey question, a sensor. The best features are
then not those that are most informative, but those that we can pay for. No option of infosift
knows prices, and none is needed: write the rule as a search, and pass an object of it as
`search=`. All tests, verdicts and figures work as before.

The table has ten measurements of 442 people with diabetes, which come with scikit-learn. The
prices are made up.
"""

import matplotlib.pyplot as plt
from sklearn.base import BaseEstimator
from sklearn.datasets import load_diabetes

from infosift import MutualInfoSelector

X, y = load_diabetes(return_X_y=True, as_frame=True)

# %%
# A search asks `tests`, and yields each step as soon as it is decided. `tests.add` returns a
# step with the best of some candidates, which is accepted if it adds something to the subset.
# A search must also say that it starts from nothing (`starts_full`), that it tests features
# conditional on those selected (`is_conditional`), what parameters it refuses (`check`), and
# what alpha bounds (`error_rate`), here nothing that was proved.


class Budget(BaseEstimator):
    """Add the best feature that can still be paid for, while it adds."""

    starts_full, is_conditional = False, True

    def __init__(self, budget, prices):
        self.budget = budget
        self.prices = prices

    def check(self):
        pass

    def error_rate(self, method):
        return ""

    def decisions(self, problem, tests, decided=()):
        subset, left, money = list(problem.kept), list(problem.candidates), self.budget
        while left := [unit for unit in left if self.prices[unit.name] <= money]:
            step = tests.add(subset, left, len(subset), slots_left=1)
            yield step
            if not step.accepted:
                return
            (added,) = (unit for unit in left if unit.columns == step.columns)
            subset.append(added)
            left.remove(added)
            money -= self.prices[added.name]


# %%
# Age and sex are free, the body mass index and blood pressure are cheap, and each of the six
# values of blood serum (s1 to s6) costs 20.
prices = dict.fromkeys(X.columns, 20) | {"age": 0, "sex": 0, "bmi": 1, "bp": 2}
chosen = {}
for budget in (0, 5, 25, 100):
    selector = MutualInfoSelector(search=Budget(budget, prices), random_state=0)
    chosen[budget] = selector.fit(X, y).selection_
    spent = sum(prices[name] for name in chosen[budget].names)
    print(f"budget {budget:3d}, spent {spent:3d}: {', '.join(chosen[budget].names)}")

# %%
# The bars show what the selected features explain together, as a share of the variance of the
# target: an upper bound for any model. One blood test brings nearly all there is to have;
# beyond it, more money buys little.
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
explained = [100 * selection.explained.share for selection in chosen.values()]
bars = ax.bar([str(budget) for budget in chosen], explained, color="#0b559f")
names = ["\n".join(selection.names) for selection in chosen.values()]
ax.bar_label(bars, names, label_type="center", color="white")
ax.set(title="What a budget buys", xlabel="budget", ylabel="variance explained (%)")
plt.show()

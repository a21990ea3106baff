"""Which genes differ between two groups of patients?

Two thousand genes and sixty patients: a filter that bounds the share of false discoveries, and
how stable it is.

In a wide table nearly anything correlates with the classes by chance. Of 2,000 genes without
any effect, 100 pass a test at the level of 5 %. Here a list is wanted of which at most one
entry in ten is wrong on average, with all genes of a pathway on it, although they are nearly
copies of each other. So each gene is tested on its own, by a filter, and alpha bounds the
false discovery rate.

The expressions are simulated, so that we know the answer: thirty genes in three pathways
differ between the classes.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from infosift import Filter, MutualInfoSelector, selection_stability

rng = np.random.default_rng(3)
n_patients, n_genes = 60, 2000
disease = np.repeat(["control", "case"], n_patients // 2)
expression = rng.normal(size=(n_patients, n_genes))
for start, effect in ((0, 1.9), (10, 1.4), (20, 1.0)):  # pathways A, B, C of ten genes each
    activity = rng.normal(size=(n_patients, 1)) + effect * (disease == "case")[:, None]
    pathway = expression[:, start : start + 10]
    pathway[:] = 0.8 * activity + 0.6 * pathway
names = [f"{'ABC'[i // 10]}{i % 10}" if i < 30 else f"g{i}" for i in range(n_genes)]
genes = pd.DataFrame(expression, columns=names)

# %%
# `Filter(control=...)` says what alpha bounds: `"fdr"` the expected share of false ones among
# the selected, `"fwer"` the probability that even one is false. The verdicts also have the
# p-value of each gene as if it were the only one.
alpha = 0.1
by_control = {}
for control in ("fdr", "fwer"):
    selector = MutualInfoSelector(alpha, search=Filter(control=control), random_state=0)
    by_control[control] = selector.fit(genes, disease).selection_
verdicts = by_control["fdr"].to_frame("verdicts", "pandas").set_index("feature")
alone = verdicts["unadjusted_p_value"].sort_values()
lists = {"no control": tuple(alone.index[alone <= alpha])}
lists |= {control: selection.names for control, selection in by_control.items()}
for control, chosen in lists.items():
    false = sum(name.startswith("g") for name in chosen)
    print(f"{control:>10}: {len(chosen):3d} genes, of which {false} have no effect")

# %%
# The picture shows why. The p-values are in order. Those of genes without effect follow the
# straight line of chance. The rule of Benjamini and Hochberg takes all up to the last p-value
# below alpha times its rank divided by the number of genes, which is the dashed line.
figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
rank, has_effect = np.arange(1, n_genes + 1), ~alone.index.str.startswith("g")
for which, label, style in (
    (~has_effect, "gene without effect", {"color": "#777777", "ms": 3}),
    (has_effect, "gene with an effect", {"color": "#e08214", "ms": 6}),
):
    ax.plot(rank[which], alone[which], "o", label=label, **style)
ax.plot(rank, rank / n_genes, color="#0b559f", lw=1, label="expected by chance")
limit = alpha * rank / n_genes
ax.plot(rank, limit, "--", color="#0b559f", label="false discovery rate of 10 %")
ax.axvline(len(lists["fdr"]) + 0.5, color="black", lw=0.8, ls=":")
ax.set(xscale="log", yscale="log", xlabel="rank of the gene", ylabel="p-value, gene alone")
ax.set_title(f"{len(lists['fdr'])} of {n_genes:,} genes are selected")
ax.legend(frameon=False)
plt.show()

# %%
# Would other patients give the same list? `selection_stability` selects again and again on
# halves of the patients. To keep this quick, only the 60 genes with the smallest p-values take
# part. They were found on all patients, so the frequencies compare these genes with each
# other. They do not say how often a gene without effect would pass, and the bound at the top
# of the picture, on those that do, does not hold here.
selector = MutualInfoSelector(alpha, search="filter")
stability = selection_stability(selector, genes[alone.index[:60]], disease, n_resamples=40)
figure, ax = plt.subplots(figsize=(8, 6), layout="constrained")
stability.plot(ax)
ax.set_title("How often each gene is selected on half of the patients")
plt.show()

# %%
# Thirty patients are few. Genes of pathway A, whose effect is largest, are found on most
# halves. Of B and C, ten are on the list of all patients, but hardly any on half of the
# halves: other patients would put others of them on it. That a gene is missing is no proof
# that it does not matter. What a study of this size finds, each feature tested among 2,000:
least = by_control["fwer"].smallest_detectable_correlation
print(f"rank correlations of {least:.2f} and more, in eight of ten such studies")

export function nearest(misspelt: string, words: Iterable<string>): string | undefined {
  const target = lettersOf(misspelt);
  // One slip in three letters.
  let least = Math.max(1, Math.floor(target.length / 3)) + 1;
  let best: string | undefined;
  for (const word of words) {
    const letters = lettersOf(word);
    const isPart = target.length > 2 && letters.length > 2 && (letters.includes(target) || target.includes(letters));
    const distance = isPart ? Math.min(1, distanceOf(target, letters)) : distanceOf(target, letters);
    if (distance < least) [least, best] = [distance, word];
  }
  return best;
}

function lettersOf(word: string): string {
  return word
    .slice(0, 64)
    .toLowerCase()
    .replace(/[\s_.-]+/g, "");
}

/** The distance of optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
function distanceOf(word: string, other: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = word[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}

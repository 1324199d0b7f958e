/** The steps of a timeline in words. Without the waits of an event for a busy machine, which only some runs record. */
export const stepTexts = ({ steps }: { steps: readonly { text: string }[] }): string[] =>
  steps.map(({ text }) => text).filter((text) => !/^waited (?:in its queue|for a free handler)/.test(text))

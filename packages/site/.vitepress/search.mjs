/**
 * How the site's search matches and orders its results. The page contains the source of these functions, so they use nothing outside of
 * themselves. An author of a bot looks for a guide first, and then for the packages that a bot imports.
 */
export const searchOptions = {
  prefix: true,
  // Short words have too many neighbors: "test" would find "text".
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  // The boosts below multiply to less than 1,000, so every whole word ranks above every prefix, and every prefix above a typo.
  weights: { prefix: 1e-4, fuzzy: 1e-8 },
  boost: { questions: 12, title: 4, text: 2, titles: 1 },
  boostDocument: (id, term) => {
    const subject = { cluster: '/deploying/cluster', deploy: '/deploying/production' }[term]
    if (subject !== undefined && id.startsWith(subject)) return 12
    // It has a section for each subject, and few readers need it.
    if (id.startsWith('/deploying/cluster')) return 1
    if (
      /^\/(?:guides|start|choose|testing|command-line|deploying|delivery|create-bot|how-do-i|problems|coming-from\/cannot-do)/.test(
        id,
      )
    )
      return 6
    if (/^\/errors/.test(id)) return 2
    if (/^\/reference\/(?:framework|testing)/.test(id)) return 1.5
    return /^\/(?:reference|interface)/.test(id) ? 0.3 : 1
  },
}

/** For the index and for queries: words such as "how" do not count, and each plural and each "-ing" form also counts as its base, so that "button" finds the page "Buttons". */
export const indexOptions = {
  fields: ['title', 'titles', 'text', 'questions'],
  processTerm: (term) => {
    const word = term.toLowerCase().replaceAll('`', '')
    // Words of questions that name no subject.
    if (
      /^(?:an?|and|are|can|do|does|for|from|how|if|in|into|is|it|its|me|my|of|on|or|should|that|the|there|this|to|use|what|when|where|which|with|you|your)$/.test(
        word,
      )
    )
      return null
    const base = word.length > 6 ? word.replace(/ing$/, '') : word
    const singular = base.length > 3 ? base.replace(/(?<=[^s])s$/, '') : base
    return singular === word ? word : [word, singular]
  },
}

/** For building the index: `questions` are what people look for, and the section that answers it. */
export const withQuestions = (questions) => ({
  ...indexOptions,
  extractField: (section, field) => {
    if (field !== 'questions') return section[field]
    const [page, anchor] = section.id.split('#')
    return questions
      .filter(
        (one) => one.page === page && (one.anchor === undefined ? section.titles.length === 0 : one.anchor === anchor),
      )
      .map(({ question }) => question)
      .join('\n')
  },
})

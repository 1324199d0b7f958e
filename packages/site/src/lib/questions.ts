/** A question of people, and the section that answers it. */
export interface Question {
  question: string
  /** The page, as the link names it; empty for the page of the question itself. */
  page: string
  /** The anchor of the section; undefined for the start of the page. */
  anchor?: string
}

/** The rows of "How do I …?" that link to a page: its search results come first. */
export const questionsOf = (text: string): Question[] =>
  [...text.matchAll(/^\| ([^|]+)\|[^|]*?\]\(([\w./-]*)(?:#([\w-]+))?\)/gm)].map(([, question, page, anchor]) => ({
    question: question!.trim(),
    page: page!,
    ...(anchor !== undefined && { anchor }),
  }))

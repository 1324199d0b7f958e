export interface Question {
  text: string
  choices: readonly [string, ...string[]]
  answer: string
}

export const questions: readonly Question[] = [
  { text: 'Which planet is the largest?', choices: ['Mars', 'Jupiter', 'Saturn'], answer: 'Jupiter' },
  { text: 'How many strings does a violin have?', choices: ['4', '5', '6'], answer: '4' },
  { text: 'Which of these is not a fruit?', choices: ['Tomato', 'Cucumber', 'Carrot'], answer: 'Carrot' },
  {
    text: 'Who wrote "Frankenstein"?',
    choices: ['Mary Shelley', 'Jane Austen', 'Bram Stoker'],
    answer: 'Mary Shelley',
  },
  { text: 'What is the chemical symbol for gold?', choices: ['Go', 'Gd', 'Au'], answer: 'Au' },
]

/** `count` different questions in random order. */
export const pick = (count: number): Question[] =>
  questions
    .map((question) => ({ question, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ question }) => question)

export const pickOne = (): Question => questions[Math.floor(Math.random() * questions.length)]!

import type { Person, Seen } from '@botwright/testing'

/** One line of the transcript: who, what they did, and what came of it. */
export type Tell = (who: string, what: string, seen?: Seen) => void

function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`expected ${what}`)
}

const votes = (poll: Seen) => poll.embeds[0]?.footer?.text

/** Two people ask, vote, change their minds and close a poll. Throws when an answer is not the expected one. */
export async function converse({ ann, bob, tell }: { ann: Person; bob: Person; tell: Tell }): Promise<void> {
  const ask = '/poll "Where do we eat?" Noodles Tacos "Stay in"'
  const poll = await ann.says(ask)
  tell('ann', ask, poll)
  expectThat(poll.embeds[0]?.title === 'Where do we eat?' && votes(poll) === '0 votes', 'a poll with no votes')

  const first = await vote(ann, poll, 'Noodles', tell)
  expectThat(votes(first.update) === '1 vote', 'one vote')
  expectThat(first.told === 'You voted for Noodles.', 'a note that only ann sees')

  const second = await vote(bob, poll, 'Tacos', tell)
  expectThat(votes(second.update) === '2 votes', 'two votes')

  const changed = await vote(bob, poll, 'Noodles', tell)
  expectThat(changed.told === 'You changed your vote to Noodles.', 'a changed vote')
  expectThat(changed.update.embeds[0]?.fields?.[0]?.value.includes(' 2 ') ?? false, 'two votes for noodles')

  const refused = await bob.clicks(poll, 'Close')
  tell('bob', 'clicks [Close]', refused)
  expectThat(refused.content.startsWith('Only the person who asked'), 'a refusal')

  const closed = await ann.clicks(poll, 'Close')
  tell('ann', 'clicks [Close]', closed)
  expectThat(votes(closed) === 'closed · 2 votes', 'a closed poll')
  expectThat((closed.components ?? []).length === 0, 'no buttons on a closed poll')

  const usage = await bob.says('/poll "Only a question"')
  tell('bob', '/poll "Only a question"', usage)
  expectThat(usage.content.includes('/poll'), 'the usage')
}

async function vote(person: Person, poll: Seen, choice: string, tell: Tell) {
  const answers = await person.clicksThrough(poll, choice, 2)
  const update = answers.find((answer) => answer.type === 'update')?.message
  const told = answers.find((answer) => answer.type === 'ephemeral')?.ephemeral
  expectThat(update !== undefined && told !== undefined, 'an update and a note')
  tell(person.username, `clicks [${choice}]`, update)
  tell('', '', told)
  return { update: update as Seen, told: told.content }
}

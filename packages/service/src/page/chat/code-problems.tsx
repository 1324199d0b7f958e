import type { TimelineFailure } from '@botwright/protocol/timeline'
import type { BotProblems } from '../../people.ts'
import { Cause, EditorLink } from '../components/failure.tsx'
import { nameOf } from '../state/names.ts'
import { codeProblems } from '../state/timelines.ts'

const headlines: Readonly<Record<BotProblems['serving'], [fact: (bot: string) => string, serves: string]>> = {
  new: [(bot) => `Part of ${bot} does not start.`, 'The rest of the newest code is running.'],
  previous: [(bot) => `The newest code of ${bot} does not load.`, 'The previous version is still running.'],
  none: [(bot) => `The code of ${bot} does not load.`, 'The bot starts once this is fixed.'],
}
const factOf = ({ bot_id, serving }: BotProblems): string => headlines[serving][0](nameOf(bot_id, 'the bot'))

function Problem({ failure }: { failure: TimelineFailure }) {
  return (
    <div class="code-problem">
      <div class="code-problem-head">
        {failure.at !== undefined && <code>{failure.at}</code>}
        <EditorLink failure={failure} />
      </div>
      <Cause failure={failure} />
    </div>
  )
}

function OfBot({ bot }: { bot: BotProblems }) {
  const { problems, serving } = bot
  return (
    <details class="code-problems" open>
      <summary>
        <h2>{factOf(bot)}</h2> {headlines[serving][1]}
      </summary>
      {problems.map((failure, index) => (
        // The service keeps fields of newer releases as they are.
        <Problem key={index} failure={failure as unknown as TimelineFailure} />
      ))}
    </details>
  )
}

/** Shows the owner of a bot the lines to fix while `framework dev` cannot load its newest code. Other people see nothing. */
export function CodeProblems() {
  const bots = Object.values(codeProblems.value).filter(({ problems }) => problems.length > 0)
  const [bot] = bots
  const first = bot?.problems[0]
  return (
    <>
      <p role="status" class="visually-hidden">
        {bot && first && `${factOf(bot)} ${first.at === undefined ? '' : `${first.at}: `}${first.message}`}
      </p>
      {bots.map((each) => (
        <OfBot key={each.bot_id} bot={each} />
      ))}
    </>
  )
}

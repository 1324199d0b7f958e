import { jumpTo } from '../../state/actions.ts'
import {
  changeDraft,
  draft,
  type Edit,
  endEdit,
  endReply,
  type Outgoing,
  type Post,
  without,
} from '../../state/drafts.ts'
import { nameOf } from '../../state/names.ts'
import { complete, messages } from '../../state/store.ts'
import { attempt } from '../../state/toasts.ts'
import { Icon } from '../../components/icons.tsx'
import { focusComposer } from './focus.ts'
import { sendAgain } from './sending.ts'

const Close = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <button type="button" class="action" aria-label={label} title={label} onClick={onClick}>
    <Icon name="close" size={14} />
  </button>
)

/** Adds a text to the input. */
function moveHere(channelId: string, text: string): void {
  const { text: written } = draft.value
  changeDraft(channelId, { text: [written, text].filter((each) => each.trim() !== '').join('\n') })
  focusComposer()
}
const MoveHere = ({ onClick }: { onClick: () => void }) => (
  <button type="button" class="link-button" onClick={onClick}>
    Move your text here
  </button>
)

function ReplyLine({ channelId }: { channelId: string }) {
  const { replyTo, isReplyGone } = draft.value
  if (!replyTo) return null
  const name = <strong dir="auto">{nameOf(replyTo.author_id, replyTo.author)}</strong>
  return (
    <div class="draft-line">
      <Icon name="reply" size={13} />
      {isReplyGone ? (
        <span>The message of {name} was deleted. Yours will not be a reply.</span>
      ) : (
        <span>Replying to {name}</span>
      )}
      <Close label="Cancel reply" onClick={() => endReply(channelId)} />
    </div>
  )
}

/** An edit whose message is not in the list: it was deleted, or is older than the loaded messages. */
function EditLine({ channelId, edit }: { channelId: string; edit: Edit }) {
  const { message, text, isGone } = edit
  const isShown = messages.value[channelId]?.some(({ id }) => id === message.id) ?? false
  if (isShown || complete.value[channelId] === undefined) return null
  const move = () => {
    endEdit(message)
    moveHere(channelId, text)
  }
  return (
    <div class="draft-line">
      <Icon name="edit" size={13} />
      {isGone ? (
        <span>
          The message that you are editing was deleted. <MoveHere onClick={move} />
        </span>
      ) : (
        <span>
          You are editing an older message.{' '}
          <button type="button" class="link-button" onClick={() => void attempt(() => jumpTo(message))}>
            Show it
          </button>
        </span>
      )}
      <Close label="Discard the edit" onClick={() => endEdit(message)} />
    </div>
  )
}

const short = ({ text, picture }: Post): string => text.trim() || (picture?.name ?? '')

function UnsentLine({ channelId, message }: { channelId: string; message: Outgoing }) {
  const { id, content, text, replyTo, isReplyGone, picture } = message
  const { picture: ownPicture, replyTo: ownReply, unsent } = draft.value
  const others = without(unsent, id)
  const discard = () => changeDraft(channelId, { unsent: others, refusal: undefined })
  /** The input has at most one image: a second one stays in this line. */
  const staysPicture = picture !== undefined && ownPicture !== undefined
  const move = () => {
    changeDraft(channelId, {
      unsent: staysPicture ? [...others, { id, text: '', picture }] : others,
      ...(!staysPicture && picture && { picture }),
      ...(!ownReply && { replyTo, isReplyGone }),
      refusal: undefined,
    })
    moveHere(channelId, text)
  }
  return (
    <div class="draft-line is-unsent">
      <Icon name="warning" size={13} />
      <span class="draft-text">
        {content === undefined ? 'Not sent' : 'May not have been sent'}: <bdi>{short(message)}</bdi>
      </span>
      {!(staysPicture && text.trim() === '') && <MoveHere onClick={move} />}
      <button type="button" class="link-button" onClick={() => void sendAgain(channelId, message)}>
        Send again
      </button>
      <Close label="Discard the message" onClick={discard} />
    </div>
  )
}

/** The rest of the draft, above the input: the reply, edits out of view, and messages that are not sent yet. */
export function DraftLines({ channelId }: { channelId: string }) {
  const { edits, sending, unsent } = draft.value
  return (
    <>
      {sending.map((message) => (
        <p key={message.id} class="draft-line is-sending">
          <span class="draft-text">
            Sending <bdi>{short(message)}</bdi>…
          </span>
        </p>
      ))}
      {unsent.map((message) => (
        <UnsentLine key={message.id} channelId={channelId} message={message} />
      ))}
      {/* Always in the document: screen readers announce what is added to it. */}
      <div role="status" aria-atomic="false">
        {Object.values(edits).map((edit) => (
          <EditLine key={edit.message.id} channelId={channelId} edit={edit} />
        ))}
        <ReplyLine channelId={channelId} />
      </div>
    </>
  )
}

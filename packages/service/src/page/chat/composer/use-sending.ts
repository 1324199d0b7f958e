import { useState } from 'preact/hooks'
import { PeopleError } from '../../../people.ts'
import { send } from '../../state/actions.ts'
import { attachments, drafts, replyTo } from '../../state/store.ts'
import { detach } from './attachment.tsx'
import { beginSlowmode } from './posting.ts'
import { sentText } from './sent-text.ts'
import { type UnknownCommand, unknownCommand } from './unknown-command.tsx'

interface Draft {
  channelId: string
  text: string
  picture: File | undefined
}

/** Sends the draft of a channel, with its picture and as the reply that is open. */
export function useSending({ channelId, text, picture }: Draft) {
  const [sending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<{ channelId: string; text: string }>()
  const [unknown, setUnknown] = useState<UnknownCommand & { channelId: string; text: string }>()
  const warned = unknown?.channelId === channelId && unknown.text === text ? unknown : undefined
  const post = async () => {
    const replyId = replyTo.value?.id
    await send(channelId, await sentText(text), {
      ...(replyId !== undefined && { replyTo: replyId }),
      ...(picture && { picture }),
    })
    beginSlowmode(channelId)
    if ((drafts.value[channelId] ?? '') === text) drafts.value = { ...drafts.value, [channelId]: '' }
    if (attachments.value[channelId] === picture) detach(channelId)
    if (replyTo.value?.id === replyId) replyTo.value = undefined
  }
  const submit = async () => {
    const command = warned || picture ? undefined : unknownCommand(text.trim())
    setUnknown(command && { ...command, channelId, text })
    if (command) return
    setSending(true)
    setRefusal(undefined)
    try {
      await post()
    } catch (error) {
      if (error instanceof PeopleError && error.retrySeconds !== undefined)
        beginSlowmode(channelId, error.retrySeconds * 1000)
      setRefusal({ channelId, text: error instanceof Error ? error.message : String(error) })
    }
    setSending(false)
  }
  return {
    sending,
    /** Sends, unless the text has an unknown command about which the person was not warned. */
    submit,
    /** The unknown command of the text, after the attempt to send it. */
    warned,
    refusal: refusal?.channelId === channelId ? refusal.text : undefined,
    clearRefusal: () => setRefusal(undefined),
  }
}

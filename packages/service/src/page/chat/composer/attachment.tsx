import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../../components/icons.tsx'
import { pictureTypes } from '../../components/picture.tsx'
import { changeDraft, draftOf } from '../../state/drafts.ts'
import { place } from '../../state/store.ts'
import { toast } from '../../state/toasts.ts'

/** Attaches a picture to the next message of the open channel; shows a toast for any other file, and for a second picture. */
export function attach(files: Iterable<File> | null | undefined): boolean {
  const [file, ...others] = files ?? []
  const channelId = place.value.channelId
  if (!file || channelId === undefined) return false
  if (!pictureTypes.includes(file.type)) {
    toast(`${file.name} is not an image. Choose a PNG, JPG, GIF or WebP file.`)
    return false
  }
  const { picture } = draftOf(channelId)
  if (picture) {
    toast(`A message has at most one image. Send or remove ${picture.name} first.`)
    return true
  }
  if (others.length > 0) toast(`A message has at most one image: only ${file.name} was added.`)
  changeDraft(channelId, { picture: file })
  return true
}

/**
 * Whether a paste is a picture. Spreadsheets and word processors copy a picture beside their text: there, the text counts. A copied file
 * has its name as text, and a copied picture of a web page has only markup.
 */
export const isPicture = ({ types }: DataTransfer): boolean =>
  types.includes('Files') && !(types.includes('text/plain') && types.includes('text/html'))

export const detach = (channelId: string): void => changeDraft(channelId, { picture: undefined })

const kilobyte = 1024
const size = (bytes: number): string =>
  bytes < kilobyte * kilobyte
    ? `${Math.max(1, Math.round(bytes / kilobyte))} KB`
    : `${(bytes / kilobyte / kilobyte).toFixed(1)} MB`

/** Preview of the attached picture. */
export function AttachmentPreview({ file, channelId }: { file: File; channelId: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return (
    <div class="attachment">
      {url !== undefined && <img src={url} alt="" />}
      <span class="attachment-text">
        <strong>{file.name}</strong>
        <small>{size(file.size)}</small>
      </span>
      <button type="button" class="action" aria-label="Remove image" onClick={() => detach(channelId)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  )
}

import { endpoint, endpoints } from '@botwright/protocol'
import { spec } from '../spec.ts'

export const moderation = {
  setNickname: endpoint({ ...endpoints.moderation.setNickname, spec }),
  addRole: endpoint({ ...endpoints.moderation.addRole, spec }),
  removeRole: endpoint({ ...endpoints.moderation.removeRole, spec }),
  kick: endpoint({ ...endpoints.moderation.kick, spec }),
  bans: endpoint({ ...endpoints.moderation.bans, spec }),
  ban: endpoint({ ...endpoints.moderation.ban, spec }),
  unban: endpoint({ ...endpoints.moderation.unban, spec }),
  timeout: endpoint({ ...endpoints.moderation.timeout, spec }),
} as const

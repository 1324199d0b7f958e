// Planted faults of the protocol: each must be found by a simulation.

import { NO_OWNER, ownerText } from '../protocol/ownership.ts'
import { type Protocol, protocol as p } from './world.test.fixture.ts'

/** A protocol with one fault, by what is wrong in it. */
export const faults: Readonly<Record<string, Partial<Protocol>>> = {
  'a commit checks neither the lease nor the owner': {
    commit: (model, { instance, number, partitions }) => {
      const own = partitions.map((one) => ({ ...one, owner: model.owners.get(one.partition) ?? '' }))
      return p.commit({ ...model, leases: new Set([instance]) }, { instance, number, partitions: own })
    },
  },
  'a commit that arrives late is done again': {
    commit: (model, commit) => p.commit({ ...model, commits: new Map() }, commit),
  },
  'a write of the leader that arrives late is done again': {
    publish: (model, write) => p.publish({ ...model, leaderWrite: { term: 0, number: 0 } }, write),
  },
  'a commit does not note what begins': {
    commit: (model, { partitions, ...rest }) =>
      p.commit(model, { ...rest, partitions: partitions.map((one) => ({ ...one, begin: [] })) }),
  },
  'an entry is removed when it begins': {
    commit: (model, { partitions, ...rest }) =>
      p.commit(model, {
        ...rest,
        partitions: partitions.map((one) => ({
          ...one,
          finish: [...one.finish, ...one.begin.map(({ entry }) => entry)],
        })),
      }),
  },
  'a finished entry is not removed': {
    commit: (model, { partitions, ...rest }) =>
      p.commit(model, { ...rest, partitions: partitions.map((one) => ({ ...one, finish: [] })) }),
  },
  'a repeat begins as the first attempt': { begin: () => p.begin(p.NOT_BEGUN) },
  'a beginning is counted up instead of written': { begin: (former) => p.begin(p.begin(former)) },
  'an event that is published twice is added twice': {
    publish: (model, published) => p.publish({ ...model, seen: new Map() }, published),
  },
  'a batch is added in reverse': {
    publish: (model, write) => p.publish(model, { ...write, events: [...write.events].reverse() }),
  },
  'a former leader saves the position': {
    savePosition: (model, saved) => p.savePosition(model, { ...saved, term: model.term }),
  },
  'a former leader publishes': {
    publish: (model, write) => p.publish(model, { ...write, term: model.term }),
    savePosition: (model, saved) => p.savePosition(model, { ...saved, term: model.term }),
  },
  'the position passes events that are not published': {
    positionAfter: (polled) => polled.at(-1) ?? 0,
  },
  'a release does not check the owner': {
    release: (model, partitions) =>
      p.release(
        model,
        partitions.map(({ partition }) => ({ partition, owner: model.owners.get(partition) ?? '' })),
      ),
  },
  'an assignment does not check the former owner': {
    applyAssignments: (model, { term, changes }) =>
      p.applyAssignments(model, {
        term,
        changes: changes.map((one) => ({
          ...one,
          from: { owner: model.owners.get(one.partition) ?? '', move: model.moves.get(one.partition) ?? '' },
        })),
      }),
  },
  'an instance trusts its lease for too long': { isSure: (sinceRenewalMs) => sinceRenewalMs < 8000 },
  'partitions move while their owner still runs their events': {
    assign: (ownership, partitions, standings) =>
      p.assign(ownership, partitions, standings).map((one) => {
        if (one.to.move === '') return one
        const { epoch } = p.readOwner(one.from.owner) ?? NO_OWNER
        return { ...one, to: { owner: ownerText({ instance: one.to.move, epoch: epoch + 1 }), move: '' } }
      }),
  },
  'a new owner does not read what has begun': { readBegun: () => p.NOT_BEGUN },
  'a partition is released while its events run': {
    takeReleasable: (holdings) => {
      for (const holding of holdings.held.values()) if (holding.phase === 'releasing') holding.unfinished = 0
      return p.takeReleasable(holdings)
    },
  },
  'a released partition is opened again by an older state': {
    observe: (holdings, ownership) => p.observe({ ...holdings, released: new Map() }, ownership),
  },
  'a partition is never released': { takeReleasable: () => [] },
  'an event is set aside one crash too early': { decide: (begun, attempts) => p.decide(begun, attempts - 1) },
  'an event that crashes its instances is never set aside': { decide: () => ({ run: true }) },
  'the turn of a click is taken whoever has it': {
    takeTurn: (model, { interactionId }) =>
      p.takeTurn(model, { interactionId, turnAtMs: model.acks.get(interactionId) ?? 0 }),
    sweepClicks: (model, swept) => p.sweepClicks({ ...model, nowMs: model.nowMs + p.TURN_MS }, swept),
    sweepAtMs: (turnAtMs) => turnAtMs,
  },
  'clicks are swept while their owner still has its turn': {
    sweepClicks: (model, swept) => p.sweepClicks({ ...model, nowMs: model.nowMs + p.TURN_MS + 1000 }, swept),
    sweepAtMs: (turnAtMs) => turnAtMs - 1000,
  },
  'the owner does not acknowledge its clicks': { firstTurn: () => undefined },
  'a click that is answered stays in the list': { removeClicks: () => 0 },
}

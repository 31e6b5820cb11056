package io.csi4j.core.internal.plan;

/** One step for a volume: a call, or a transition to record. */
public sealed interface PlanAction permits PlannedCall, PlannedTransition {}

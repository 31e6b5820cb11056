package io.csi4j.core.internal.plan;

/** One thing to do for a volume: a call, or a fact to write down. */
public sealed interface PlanAction permits PlannedCall, PlannedTransition {}

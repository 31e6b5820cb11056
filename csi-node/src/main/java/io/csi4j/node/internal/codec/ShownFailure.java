package io.csi4j.node.internal.codec;

/** A failure whose message may be shown, like that of a {@link io.csi4j.core.call.CsiException}. */
public interface ShownFailure {}

/**
 * Everything that can change the state: {@linkplain io.csi4j.core.command.Command commands}, what
 * came of them ({@link io.csi4j.core.command.Outcome}), and why not ({@link
 * io.csi4j.core.command.Rejection}). {@link io.csi4j.core.command.Admission} is the one predicate that
 * placement and claims share (I12).
 *
 * <pre>{@code
 * Command take = new ClaimCommand.TakeClaims(
 *         AllocationId.of("web-7f3a"),
 *         List.of(ClaimRequest.of(VolumeKey.of("default", "db-data"), ClaimMode.WRITE, capability)),
 *         clock.instant());
 * }</pre>
 */
@NullMarked
package io.csi4j.core.command;

import org.jspecify.annotations.NullMarked;

/**
 * The {@linkplain io.csi4j.core.command.Command commands} that change the state, their results ({@link
 * io.csi4j.core.command.Outcome}), and the reasons for a rejection ({@link io.csi4j.core.command.Rejection}).
 * The engine and the reports of {@link io.csi4j.core.lifecycle.Cluster} make commands; a log only carries them.
 *
 * <pre>{@code
 * ClaimRequest request = ClaimRequest.of(VolumeKey.of("default", "db-data"), ClaimMode.WRITE, capability);
 * Command place = new ProposedPlacement(allocation, namespace, node, List.of(request)).reservation(clock.instant());
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.command;

import org.jspecify.annotations.NullMarked;

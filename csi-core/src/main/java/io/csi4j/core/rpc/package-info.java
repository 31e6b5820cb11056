/**
 * The RPCs of CSI as Java: five service interfaces, and for each RPC a request and a response.
 *
 * <p>Requests and responses are immutable, and their {@code toString} shows nothing sensitive. A request has a builder; a response
 * is a record. When a later version of CSI adds a field to a response, the record gets a second constructor, so that programs still compile. A request is checked when it is built (R16-R25). If it breaks a rule of CSI, it is not sent, and a {@link io.csi4j.core.call.CsiRequestException} names all problems. Ids and contexts from a plugin are passed on unchanged, even if they are longer than the specification permits.
 *
 * <pre>{@code
 * CreateVolumeRequest request = CreateVolumeRequest.builder("pvc-1", List.of(capability))
 *         .capacityRange(CapacityRange.atLeast(1L << 30))
 *         .secrets(secrets)
 *         .build();
 * CompletableFuture<CreateVolumeResponse> response = controller.createVolume(request);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.rpc;

import org.jspecify.annotations.NullMarked;

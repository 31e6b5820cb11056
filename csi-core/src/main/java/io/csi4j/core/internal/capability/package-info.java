/**
 * The rules that say which calls and fields need which capabilities of a plugin (R42), as data. For the client of
 * csi4j; not part of the API.
 */
@NullMarked
package io.csi4j.core.internal.capability;

import org.jspecify.annotations.NullMarked;

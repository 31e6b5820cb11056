/** The endpoints: each says its address, its parameters, its answer and what it does, in one place. */
@NullMarked
package io.csi4j.admin.internal.api;

import org.jspecify.annotations.NullMarked;
